export { type Connection, Connections } from './connections.ts'
export { DevicePushes } from './device-pushes.ts'
export { DeviceWork } from './device-work.ts'
