export { createAgents } from './create-agents.ts'
export { closeUnauthorized } from './socket.ts'
