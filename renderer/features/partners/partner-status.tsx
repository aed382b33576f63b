import { StatusDot } from '../../ui/status-dot.tsx'
import { type CompanyStatus as Status, statuses } from './partner-labels.ts'

export function CompanyStatus({ status }: { status: Status }) {
  const { word, tone } = statuses[status]
  return <StatusDot tone={tone}>{word}</StatusDot>
}
