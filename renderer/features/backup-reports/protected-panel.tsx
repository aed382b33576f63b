import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { protectionState } from '../../../shared/api/backup-attention.ts'
import { protectionQuery } from '../../data/backup-reports.ts'
import { protectionNames, protectionTones } from '../../domain/backup-reports/protection-states.ts'
import { count } from '../../lib/format.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import classes from './overview.module.css'
import { listAnchor, rowsPerPage } from './protection-list.tsx'

/** How many devices are in which state; each leads to the list of them. */
export function ProtectedPanel({ orgId }: { orgId: string }) {
  const protection = useQuery(protectionQuery({ orgId, page: 1, limit: rowsPerPage }))
  return (
    <Panel title="Devices">
      <Loaded of={protection} lines={4}>
        {({ counts }) => {
          const byState = new Map(counts.map(({ state, devices }) => [state, devices]))
          const shown = protectionState.options.filter(
            (state) => state === 'protected' || state === 'unprotected' || (byState.get(state) ?? 0) > 0,
          )
          return (
            <>
              <div className={classes.bar} aria-hidden>
                {counts
                  .filter(({ devices }) => devices > 0)
                  .map(({ state, devices }) => (
                    <span key={state} data-tone={protectionTones[state]} style={{ flexGrow: devices }} />
                  ))}
              </div>
              <ul className={classes.counts}>
                {shown.map((state) => (
                  <li key={state}>
                    <Link
                      to="/backup/overview"
                      search={(old) => ({ ...old, state, search: undefined, page: undefined })}
                      hash={listAnchor}
                      className={classes.count}
                    >
                      <StatusDot tone={protectionTones[state]}>{protectionNames[state]}</StatusDot>
                      <span className="nums">{count(byState.get(state) ?? 0)}</span>
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
