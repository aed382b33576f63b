import { type AuditResult, auditResult } from '../../../shared/api/audit-log.ts'
import { StatusDot } from '../../ui/status-dot.tsx'

const resultNames = {
  success: ['good', 'Done'],
  failure: ['bad', 'Failed'],
  denied: ['warn', 'Refused'],
} as const satisfies Record<AuditResult, [string, string]>

export const resultName = (result: AuditResult): string => resultNames[result][1]

export const resultChoices = auditResult.options.map((value) => ({ value, label: resultName(value) }))

export function EventResult({ result }: { result: AuditResult }) {
  const [tone, word] = resultNames[result]
  return <StatusDot tone={tone}>{word}</StatusDot>
}
