export { SlaChecks } from './checks.ts'
export { createBackupSla } from './create-backup-sla.ts'
export { SlaAttention } from './sla-attention.ts'
