import { useQuery } from '@tanstack/react-query'
import { isOpenRestore, restoresQuery } from '../../data/backup-restores.ts'
import { RestoreTable } from '../../domain/backup-restores/restore-table.tsx'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'

const shown = 5

/** The last restores to a device; those that go on are first. */
export function DeviceRestores({ device: { id, orgId } }: { device: { id: string; orgId: string } }) {
  const maySee = can(useMe(), 'backup:read')
  const restores = useQuery({
    ...restoresQuery({ orgId, deviceId: id, page: 1, limit: shown }),
    enabled: maySee,
  }).data
  if (!restores || restores.data.length === 0) return null
  const { data, pagination } = restores
  const rows = [...data.filter(isOpenRestore), ...data.filter((restore) => !isOpenRestore(restore))]
  return (
    <Panel
      title="Restores"
      actions={
        pagination.total > shown && (
          <TextLink to="/backup/restores" search={{ device: id }} size="sm">
            {`All ${pagination.total}`}
          </TextLink>
        )
      }
    >
      <RestoreTable restores={rows} isOfDevice />
    </Panel>
  )
}
