export { AgentFile } from './agent-file.ts'
export { ConnectionInfo } from './connection-info.ts'
export { createSystem } from './create-system.ts'
