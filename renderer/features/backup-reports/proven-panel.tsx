import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { verificationSummaryQuery } from '../../data/backup-verification.ts'
import { count } from '../../lib/format.ts'
import countList from '../../ui/count-list.module.css'
import { TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

/** How many devices’ backups were proven lately. */
export function ProvenPanel({ orgId }: { orgId: string }) {
  const summary = useQuery(verificationSummaryQuery(orgId))
  return (
    <Panel title="Proven in the last 30 days">
      <Loaded of={summary} lines={3}>
        {({ devices, restored, proven, failing }) =>
          devices === 0 ? (
            <Text size="sm" c="dimmed">
              There are no backups to check yet.
            </Text>
          ) : (
            <ul className={countList.list}>
              <li className={countList.row}>
                <StatusDot tone={restored < devices ? 'idle' : 'good'}>Restored for proof</StatusDot>
                <span className="nums">{ofAll(restored, devices)}</span>
              </li>
              <li className={countList.row}>
                <StatusDot tone={proven < devices ? 'idle' : 'good'}>Checked</StatusDot>
                <span className="nums">{ofAll(proven, devices)}</span>
              </li>
              {failing > 0 && (
                <li className={countList.row}>
                  <StatusDot tone="bad">A check failed</StatusDot>
                  <span className="nums">{count(failing)}</span>
                </li>
              )}
            </ul>
          )
        }
      </Loaded>
      <TextLink to="/backup/readiness" size="sm" className="screen-only">
        Readiness of each device
      </TextLink>
    </Panel>
  )
}

const ofAll = (some: number, all: number): string => `${count(some)} of ${count(all)}`
