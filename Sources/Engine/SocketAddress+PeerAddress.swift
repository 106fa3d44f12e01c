public import RTPMIDI
public import Transports

extension SocketAddress: PeerAddress {}
