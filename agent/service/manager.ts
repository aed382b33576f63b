/** What a service manager is asked to keep running. */
export interface ServiceDefinition {
  /** Program and arguments. */
  command: string[]
  stateDir: string
}

/** The platform's own service manager; every call but `describe` needs its administrator. */
export interface ServiceManager {
  /** Whether the manager keeps a log of what the service writes, and how to read it. */
  logHint: string | undefined
  install(definition: ServiceDefinition): Promise<void>
  stop(): Promise<void>
  /** Forgets the service; one that runs goes on until it ends. */
  remove(): Promise<void>
  /** What is installed, in the manager's own format; undefined when nothing is. */
  describe(): Promise<string | undefined>
  isRunning(): Promise<boolean>
}
