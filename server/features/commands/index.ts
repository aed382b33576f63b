export { type CommandServices, createCommands } from './create-commands.ts'
export type { CommandDelivery } from './delivery.ts'
export type { Removals } from './removals.ts'
export type { CommandResults } from './results.ts'
