public import RTPMIDI

extension SocketAddress: PeerAddress {}
