import { count, plural } from '../../lib/format.ts'
import { TextLink } from '../../ui/links.tsx'

interface Props {
  devices: number
  /** Read aloud after the number of devices. */
  where: string
  filter: { site: string } | { group: string }
}

/** Leads from a row of an organization's page to the devices that it counts. */
export function DeviceCountLink({ devices, where, filter }: Props) {
  return (
    <TextLink
      from="/organizations/$orgId"
      to="."
      search={{ tab: 'devices', ...filter }}
      size="sm"
      aria-label={`${plural(devices, 'device')} ${where}`}
    >
      {count(devices)}
    </TextLink>
  )
}
