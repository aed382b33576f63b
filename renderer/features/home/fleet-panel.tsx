import { Link } from '@tanstack/react-router'
import type { Home } from '../../../shared/api/home.ts'
import { DeviceStatusDot } from '../../domain/devices/device-status.tsx'
import { statusesToShow } from '../../domain/devices/device-status-names.ts'
import { count } from '../../lib/format.ts'
import countList from '../../ui/count-list.module.css'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import classes from './home.module.css'

interface Props {
  devices: Home['devices']
  orgId: string | undefined
}

/** How many devices are in which state; each leads to the list of them. */
export function FleetPanel({ devices: { total, byStatus }, orgId }: Props) {
  const shown = statusesToShow(byStatus).filter((status) => status !== 'decommissioned')
  const all = (
    <TextLink to="/devices" search={{ org: orgId }} size="sm">
      All devices
    </TextLink>
  )
  return (
    <Panel title={count(total) + (total === 1 ? ' device' : ' devices')} actions={all}>
      <div className={classes.bar} aria-hidden>
        {shown.map((status) => (
          <span key={status} data-status={status} style={{ flexGrow: byStatus[status] ?? 0 }} />
        ))}
      </div>
      <ul className={countList.list}>
        {shown.map((status) => (
          <li key={status}>
            <Link to="/devices" search={{ org: orgId, status }} className={countList.row}>
              <DeviceStatusDot status={status} />
              <span className="nums">{count(byStatus[status] ?? 0)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
