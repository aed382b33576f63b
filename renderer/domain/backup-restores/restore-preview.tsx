import { List, Skeleton, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { restorePreviewQuery } from '../../data/backup-restores.ts'
import { bytes, plural } from '../../lib/format.ts'
import { FormError } from '../../ui/form-error.tsx'
import { Notice } from '../../ui/notice.tsx'
import { deviceName } from '../devices/device-labels.ts'
import { diskOf, type RestoreDraft, whatOf } from './restore-draft.ts'

interface Props {
  draft: RestoreDraft
  snapshot: BackupSnapshot
  paths: readonly string[]
  target: DeviceDetail | undefined
}

const shownMissing = 5

/** How much it is, whether there is room for it, and what speaks against it. */
export function RestorePreview({ draft, snapshot, paths, target }: Props) {
  const [shown] = useDebouncedValue(draft, 200)
  const preview = useQuery(restorePreviewQuery(whatOf({ snapshot, paths }, shown.deviceId)))
  const name = target ? deviceName(target) : 'the device'
  if (preview.error) return <FormError error={preview.error} />
  if (!preview.data) return <Skeleton height={20} width={260} />
  const { files, bytes: size, missing, deviceOnline, disks } = preview.data
  const disk = diskOf(shown, paths, disks, target?.osType)
  const isTooMuch = disk !== undefined && size !== null && size > disk.freeBytes
  return (
    <>
      <Text size="sm" role="status">
        {files === null || size === null
          ? 'How much that is isn’t known: the names of the files in this snapshot are missing.'
          : `${plural(files, 'file')}, ${bytes(size)}.`}
        {disk && ` ${bytes(disk.freeBytes)} free on ${disk.mountPoint} of ${name}.`}
      </Text>
      {isTooMuch && <Notice tone="warn">There may not be enough room. Nothing is restored if it doesn’t fit.</Notice>}
      {!deviceOnline && (
        <Notice tone="warn">{`${name} isn’t online. Start it first, or choose another device.`}</Notice>
      )}
      {missing.length > 0 && (
        <Notice tone="bad" title="Not in this snapshot">
          <List size="sm">
            {missing.slice(0, shownMissing).map((path) => (
              <List.Item key={path}>{path}</List.Item>
            ))}
          </List>
          {missing.length > shownMissing && <Text size="sm">{`${missing.length - shownMissing} more`}</Text>}
        </Notice>
      )}
    </>
  )
}
