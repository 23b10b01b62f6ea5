import CProcess
import MatterCommandLine
import RainMakerCommandLine
import SimulatorCommandLine

@main
enum Main {
    /// Swift's own list of the arguments is empty where /proc cannot be read.
    static func main() {
        var arguments: [String] = []
        while let argument = cprocess_argument(Int32(arguments.count)) { arguments.append(String(cString: argument)) }
        Program.run(
            arguments, with: [.rainMaker],
            simulate: SimulateCommandChoice { Simulation.command(for: [RainMakerDeviceOptions.self]) })
    }
}
