import { Stack, Text } from '@mantine/core'
import type { RestoreJob } from '../../../shared/api/backup-restores.ts'
import { bytes, plural } from '../../lib/format.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Panel } from '../../ui/panel.tsx'

/** What came back, and where it is; nothing while it is not known. */
export function RestoredPlace({ restore }: { restore: RestoreJob }) {
  const { resultDetails: details, deviceName, inPlace, targetPath } = restore
  if (!details?.filesRestored && !details?.filesKept) return null
  const { filesRestored = 0, bytesRestored, filesKept = 0, filesRenamed = 0, stagingDir } = details
  const folder = stagingDir ?? (targetPath === '/' ? null : targetPath)
  return (
    <Panel title="The files">
      <Stack gap="xs">
        <Text size="sm">
          {`${plural(filesRestored, 'file')} restored${bytesRestored === undefined ? '' : `, ${bytes(bytesRestored)}`}.`}
          {filesKept > 0 &&
            ` ${plural(filesKept, 'file was there already and stayed as it was', 'files were there already and stayed as they were')}.`}
          {filesRenamed > 0 &&
            ` ${plural(filesRenamed, 'restored file has', 'restored files have')} “restored” and the day in the name, because another one was there.`}
        </Text>
        {folder ? (
          <Text size="sm" component="div">
            {`On ${deviceName} in:`}
            <Copyable text={folder} label="Copy path" />
          </Text>
        ) : (
          inPlace && <Text size="sm">{`On ${deviceName}, where they were.`}</Text>
        )}
      </Stack>
    </Panel>
  )
}
