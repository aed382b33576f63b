import { Badge, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useDownload } from '../../data/backup-downloads.ts'
import { type FileVersion, versionsQuery } from '../../data/backup-snapshots.ts'
import { bytes, dash, exactTime, plural } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { nameOf, parentOf } from './paths.ts'
import { useRestoreFrom } from './use-restore-from.tsx'
import { keptWords, snapshotOf } from './version-words.ts'

interface Props {
  deviceId: string
  /** The storage that is looked in; undefined: that of the newest snapshot. */
  configId: string | undefined
  path: string
  /** When the snapshot was taken that the user looks at. */
  shownAt?: string
  onClose: () => void
}

/** What a file was over time, to take one of it. */
export function VersionsDialog({ deviceId, configId, path, shownAt, onClose }: Props) {
  const versions = useQuery(versionsQuery({ deviceId, configId, path }))
  const { restore, dialog } = useRestoreFrom()
  const { download, preparing } = useDownload()
  const rows = versions.data?.versions
  const shown = rows?.find((one) => shownAt !== undefined && isIn(one, shownAt))
  const columns = useMemo(
    () =>
      columnsFor({
        path,
        shown,
        preparing: preparing?.snapshotId,
        take: restore && {
          restore: (snapshotId) => restore({ snapshotId, paths: [path] }),
          download: (snapshotId) => download({ snapshotId, paths: [path] }),
        },
      }),
    [path, shown, preparing, restore, download],
  )
  if (dialog) return dialog
  return (
    <Modal opened onClose={onClose} title={nameOf(path)} size="xl">
      <Stack>
        <Text size="sm" c="dimmed" className="mono" style={{ overflowWrap: 'anywhere' }}>
          {path}
        </Text>
        <Listed of={{ ...versions, data: rows }} lines={3} empty="No snapshot has this file any longer.">
          {(list) => <DataTable label="Versions" rows={list} rowKey={keyOf} columns={columns} minWidth={640} />}
        </Listed>
      </Stack>
    </Modal>
  )
}

const keyOf = ({ newestSnapshot, size, modifiedAt }: FileVersion) => `${newestSnapshot.takenAt} ${size} ${modifiedAt}`

const isIn = ({ oldestSnapshot, newestSnapshot }: FileVersion, at: string) =>
  oldestSnapshot.takenAt <= at && at <= newestSnapshot.takenAt

interface Taking {
  path: string
  shown: FileVersion | undefined
  /** The snapshot from which the download begins. */
  preparing: string | undefined
  /** Undefined for people who may not restore. */
  take: { restore: (snapshotId: string) => void; download: (snapshotId: string) => void } | undefined
}

const columnsFor = ({ path, shown, preparing, take }: Taking): Column<FileVersion>[] => [
  {
    id: 'modified',
    title: 'Modified',
    cell: (version) => (
      <Group gap="xs">
        {version.modifiedAt === null ? dash : exactTime(version.modifiedAt)}
        {version === shown && (
          <Badge variant="default" size="sm">
            In this snapshot
          </Badge>
        )}
      </Group>
    ),
  },
  { id: 'size', title: 'Size', align: 'right', wrap: 'never', cell: ({ size }) => bytes(size) },
  {
    id: 'kept',
    title: 'In snapshots',
    width: 260,
    cell: (version) => {
      const snapshotId = snapshotOf(version)
      return (
        <>
          {plural(version.snapshots, 'snapshot')}
          {snapshotId && (
            <>
              {' · '}
              <TextLink
                to="/backup/snapshots/$snapshotId"
                params={{ snapshotId }}
                search={{ path: parentOf(path), at: path }}
                size="sm"
              >
                Show in its folder
              </TextLink>
            </>
          )}
          <SecondLine>{keptWords(version)}</SecondLine>
        </>
      )
    },
  },
  {
    id: 'take',
    title: 'Actions',
    align: 'right',
    place: 'bottom',
    cell: (version) => {
      const snapshotId = snapshotOf(version)
      return (
        snapshotId &&
        take && (
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            <Button
              variant="default"
              size="xs"
              loading={preparing === snapshotId}
              onClick={() => take.download(snapshotId)}
            >
              Download
            </Button>
            <Button variant="default" size="xs" onClick={() => take.restore(snapshotId)}>
              Restore…
            </Button>
          </Group>
        )
      )
    },
  },
]
