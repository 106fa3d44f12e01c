import ArgumentParser
import Measurement

/// The subcommand `tutti measure schema`.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON schema of the output of a measurement.",
    discussion: """
      The schema describes the output of `tutti measure COMMAND --json`. Its format is JSON Schema 2020-12. Each \
      output contains the version of its schema in the member provenance.schema. The version increases when a member \
      is removed or changes its meaning.

      EXAMPLES
        tutti measure schema clock > clock.schema.json
        tutti measure clock ada.trace --json > ada.json
        python3 -m jsonschema -i ada.json clock.schema.json
      """)

  @Argument(help: ArgumentHelp("Print the schema of the output of this command.", valueName: "COMMAND"))
  var command: ReportSchema

  func run() throws { print(command.document, terminator: "") }
}

extension ReportSchema: ExpressibleByArgument {}
