import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { DeviceReadiness, RiskFactor } from '../../../shared/api/backup-readiness.ts'
import type { VerificationType } from '../../../shared/api/backup-verification.ts'
import { openVerificationsQuery, startVerification } from '../../data/backup-verification.ts'
import { useRunBackup } from '../../domain/backup-jobs/use-run-backup.tsx'
import { checkNames } from '../../domain/backup-verification/check-words.ts'
import { checksAnchor } from '../../domain/backup-verification/checks-panel.tsx'
import { notifyNotChecked } from '../../domain/backup-verification/notify-not-checked.ts'
import { notifyDone } from '../../lib/notify.ts'
import { TextLink } from '../../ui/links.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import classes from './readiness.module.css'
import { severityTones } from './readiness-words.ts'

interface Props {
  device: DeviceReadiness
  /** Whether the user may check and back up the device. */
  mayRun: boolean
  /** The only one on the page; else what runs is asked for all devices at once. */
  isAlone?: boolean
}

/** What lowers the score of a device, each with what removes it. */
export function Risks({ device, mayRun, isAlone = false }: Props) {
  if (device.riskFactors.length === 0)
    return (
      <Text size="sm" c="dimmed">
        None
      </Text>
    )
  return (
    <ul className={classes.risks} aria-label={`Risks of ${device.deviceName}`}>
      {device.riskFactors.map((risk) => (
        <li key={risk.code} className={classes.risk}>
          <Risk risk={risk} device={device} mayRun={mayRun} isAlone={isAlone} />
        </li>
      ))}
    </ul>
  )
}

function Risk({ risk, device, mayRun, isAlone }: Required<Props> & { risk: RiskFactor }) {
  const { code, severity, message } = risk
  const hasNoBackup = code === 'no_verification_history' && device.newestBackupAt === null
  return (
    <>
      <Stack gap={2} miw={0}>
        <StatusDot tone={severityTones[severity]} isLong>
          {hasNoBackup ? 'There is no backup of this device yet.' : message}
        </StatusDot>
        {code === 'recent_verification_failure' && (
          <Text size="xs" c="dimmed">
            One check that passes doesn’t remove this: failed checks count until 12 newer ones have ended.
          </Text>
        )}
      </Stack>
      <span className="screen-only">
        <Way risk={risk} device={device} mayRun={mayRun} isAlone={isAlone} hasNoBackup={hasNoBackup} />
      </span>
    </>
  )
}

/** What to click. */
function Way(props: Required<Props> & { risk: RiskFactor; hasNoBackup: boolean }) {
  const { risk, device, mayRun, hasNoBackup } = props
  switch (risk.code) {
    case 'recent_verification_failure':
      return (
        <TextLink
          to="/devices/$deviceId"
          params={{ deviceId: device.deviceId }}
          search={{ tab: 'backup' }}
          hash={checksAnchor}
          size="sm"
        >
          Show failed check
        </TextLink>
      )
    case 'rto_above_target':
      return (
        <TextLink to="/backup/sla" size="sm">
          Compare with SLAs
        </TextLink>
      )
    case 'restore_test_missing':
      return mayRun && <Check {...props} type="test_restore" label="Run a test restore" />
    case 'no_verification_history':
    case 'stale_verification':
      if (!mayRun) return null
      return hasNoBackup ? <BackUp device={device} /> : <Check {...props} type="integrity" label="Check now" />
  }
}

interface CheckProps extends Pick<Required<Props>, 'device' | 'isAlone'> {
  type: VerificationType
  label: string
}

function Check({ device: { orgId, deviceId, deviceName }, isAlone, type, label }: CheckProps) {
  const { data: isOpen } = useQuery({
    ...openVerificationsQuery(isAlone ? { orgId, deviceId } : { orgId }),
    select: (open) => open.some((one) => one.deviceId === deviceId && one.verificationType === type),
  })
  const { mutate, isPending } = useMutation({
    ...startVerification,
    onSuccess: () => {
      notifyDone(`${checkNames[type]} of ${deviceName} requested`)
      return startVerification.onSuccess()
    },
    onError: notifyNotChecked(`${deviceName} isn’t checked`),
  })
  if (isOpen && !isPending) return <StatusDot tone="busy" isPulsing>{`${checkNames[type]} under way`}</StatusDot>
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`${label}: ${deviceName}`}
      loading={isPending}
      onClick={() => mutate({ deviceId, verificationType: type })}
    >
      {label}
    </Button>
  )
}

function BackUp({ device: { deviceId, deviceName } }: { device: DeviceReadiness }) {
  const { run, isPending } = useRunBackup({ id: deviceId, name: deviceName })
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`Back up now: ${deviceName}`}
      loading={isPending}
      onClick={run}
    >
      Back up now
    </Button>
  )
}
