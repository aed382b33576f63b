import { StatusDot } from '../../ui/status-dot.tsx'
import { type PartnerStatusValue as Status, statuses } from './partner-labels.ts'

export function PartnerStatus({ status }: { status: Status }) {
  const { word, tone } = statuses[status]
  return <StatusDot tone={tone}>{word}</StatusDot>
}
