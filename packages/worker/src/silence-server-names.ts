/** TLS is given the host of an address by grpc-js, also where that is no name. Nobody who runs a worker or a command can change that. */
export function silenceServerNames(): void {
  const emit = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  process.emitWarning = (...args: unknown[]) => {
    if (args[2] !== "DEP0123") emit(...args);
  };
}
