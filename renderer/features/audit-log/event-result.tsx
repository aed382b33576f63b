import type { AuditEventView } from '../../../shared/api/audit-log.ts'
import { StatusDot } from '../../ui/status-dot.tsx'

const words = {
  success: ['good', 'Done'],
  failure: ['bad', 'Failed'],
  denied: ['warn', 'Refused'],
} as const satisfies Record<AuditEventView['result'], [string, string]>

export function EventResult({ result }: Pick<AuditEventView, 'result'>) {
  const [tone, word] = words[result]
  return <StatusDot tone={tone}>{word}</StatusDot>
}
