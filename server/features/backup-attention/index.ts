export type { Attention } from './attention.ts'
export { createBackupAttention } from './create-backup-attention.ts'
export { devicesPerRead, runsOf } from './device-runs.ts'
export { isUsable, looksAt, newestEnded, newestGood, stateOf } from './judge.ts'
