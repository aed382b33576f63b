import type { Column } from '../../ui/data-table/column.tsx'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

interface Repository {
  deviceId: string
  deviceName: string
  configName: string
  triedAt: string | null
  error: string | null
}

/** What every list of repositories says of each: whose and where it is, and what went wrong when. */
export const repositoryColumns = {
  device: {
    id: 'device',
    title: 'Device',
    wrap: 'anywhere',
    cell: ({ deviceId, deviceName }) => (
      <TextLink to="/devices/$deviceId" params={{ deviceId }} data-main fw={500} c="inherit" size="sm">
        {deviceName}
      </TextLink>
    ),
  },
  storage: { id: 'storage', title: 'Storage', wrap: 'anywhere', cell: ({ configName }) => configName },
  error: { id: 'error', title: 'Problem', wrap: 'anywhere', cell: ({ error }) => error },
  tried: { id: 'tried', title: 'Last tried', wrap: 'never', cell: ({ triedAt }) => <RelativeTime at={triedAt} /> },
} satisfies Record<string, Column<Repository>>
