import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { listProtection } from '../../../shared/api/backup-reports.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { protectionQuery } from '../../data/backup-reports.ts'
import { firstBackup, protectionNames, protectionTones } from '../../domain/backup-reports/protection-states.ts'
import { count } from '../../lib/format.ts'
import countList from '../../ui/count-list.module.css'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'
import classes from './overview.module.css'
import { listAnchor, rowsPerPage } from './protection-list.tsx'

interface Line {
  state: Count['state']
  tone: Tone
  name: string
  devices: number
}

type Count = ReplyOf<typeof listProtection>['counts'][number]

/** Devices whose first backup is under way are counted apart from those that were never backed up. */
function linesOf({ state, devices, busy }: Count): Line[] {
  const line = { state, tone: protectionTones[state], name: protectionNames[state], devices }
  if (state !== 'never') return [line]
  return [
    { state, tone: 'busy', name: firstBackup.name, devices: busy },
    { ...line, devices: devices - busy },
  ]
}

/** How many devices are in which state; each leads to the list of them. */
export function ProtectedPanel({ orgId }: { orgId: string }) {
  const protection = useQuery(protectionQuery({ orgId, page: 1, limit: rowsPerPage }))
  return (
    <Panel title="Devices">
      <Loaded of={protection} lines={4}>
        {({ counts }) => {
          const shown = counts
            .flatMap(linesOf)
            .filter(({ state, devices }) => state === 'protected' || state === 'unprotected' || devices > 0)
          return (
            <>
              <div className={classes.bar} aria-hidden>
                {counts
                  .filter(({ devices }) => devices > 0)
                  .map(({ state, devices }) => (
                    <span key={state} data-tone={protectionTones[state]} style={{ flexGrow: devices }} />
                  ))}
              </div>
              <ul className={countList.list}>
                {shown.map(({ state, tone, name, devices }) => (
                  <li key={name}>
                    <Link
                      to="/backup/overview"
                      search={(old) => ({ ...old, state, search: undefined, page: undefined })}
                      hash={listAnchor}
                      className={countList.row}
                    >
                      <StatusDot tone={tone}>{name}</StatusDot>
                      <span className="nums">{count(devices)}</span>
                    </Link>
                  </li>
                ))}
              </ul>
            </>
          )
        }}
      </Loaded>
    </Panel>
  )
}
