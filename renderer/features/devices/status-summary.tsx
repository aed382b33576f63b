import { Skeleton, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { DeviceStatus } from '../../../shared/api/devices.ts'
import { deviceStatsQuery } from '../../data/devices.ts'
import { DeviceStatusDot } from '../../domain/devices/device-status.tsx'
import { statusesToShow } from '../../domain/devices/device-status-names.ts'
import { count } from '../../lib/format.ts'
import classes from './status-summary.module.css'

interface Props {
  orgId: string | undefined
  status: DeviceStatus | undefined
  onStatus: (status: DeviceStatus | undefined) => void
}

/** Number of devices per status; each one is a filter. */
export function StatusSummary({ orgId, status, onStatus }: Props) {
  const stats = useQuery(deviceStatsQuery(orgId)).data?.data
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would say "form"
    <div className={classes.strip} role="group" aria-label="Devices by status">
      <UnstyledButton className={classes.stat} aria-pressed={!status} onClick={() => onStatus(undefined)}>
        <Amount value={stats?.total} />
        <span className={classes.name}>All devices</span>
      </UnstyledButton>
      {statusesToShow(stats?.byStatus).map((one) => (
        <UnstyledButton
          key={one}
          className={classes.stat}
          aria-pressed={status === one}
          onClick={() => onStatus(status === one ? undefined : one)}
        >
          <Amount value={stats && (stats.byStatus[one] ?? 0)} />
          <span className={classes.name}>
            <DeviceStatusDot status={one} />
          </span>
        </UnstyledButton>
      ))}
    </div>
  )
}

function Amount({ value }: { value: number | undefined }) {
  return value === undefined ? (
    <Skeleton h={22} w={32} my={3} />
  ) : (
    <span className={classes.amount}>{count(value)}</span>
  )
}
