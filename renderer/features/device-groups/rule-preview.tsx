import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { FilterConditions } from '../../../shared/device-filter.ts'
import { rulePreviewQuery } from '../../data/device-groups.ts'
import { deviceName } from '../../domain/devices/device-labels.ts'
import { ApiError } from '../../lib/api-error.ts'
import { messageFor } from '../../lib/error-messages.ts'
import { count, plural } from '../../lib/format.ts'

interface Props {
  orgId: string
  siteId: string | null
  /** Null while the rule is incomplete. */
  rule: FilterConditions | null
}

/** The devices that match the rule, a moment after it changed. */
export function RulePreview({ orgId, siteId, rule }: Props) {
  const [debounced] = useDebouncedValue(rule === null ? null : JSON.stringify({ siteId, rule }), 300)
  const input: Pick<Props, 'siteId' | 'rule'> = debounced ? JSON.parse(debounced) : { siteId, rule: null }
  const { data, error } = useQuery(rulePreviewQuery({ orgId, ...input }))
  return (
    <Text size="sm" c="dimmed" component="div" role="status" style={{ overflowWrap: 'anywhere' }}>
      {rule === null
        ? 'Complete the rule to see matching devices.'
        : error
          ? errorText(error)
          : data && found(data.totalCount, data.devices.map(deviceName))}
    </Text>
  )
}

function errorText(error: unknown): string {
  const details = error instanceof ApiError ? (error.body.details?.formErrors as string[] | undefined) : undefined
  return details?.[0] ?? messageFor(error)
}

function found(total: number, names: string[]): string {
  if (total === 0) return 'No devices match right now.'
  const more = total > names.length ? ` and ${count(total - names.length)} more` : ''
  return `${plural(total, 'device matches', 'devices match')} right now: ${names.join(', ')}${more}.`
}
