export { type Connection, Connections } from './connections.ts'
export { DeviceWork } from './device-work.ts'
