import { Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ComponentState, componentChanged } from '../../../data/components.ts'
import { giveTaskUp } from '../../../data/tasks.ts'
import { bytes } from '../../../lib/format.ts'
import { Notice } from '../../../ui/notice.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { WorkProgress } from '../../../ui/work-progress.tsx'

type Download = NonNullable<ComponentState['download']>

/** How far the download is, or how the last one ended. */
export function DownloadProgress({ download }: { download: Download }) {
  const dismiss = useMutation({ ...giveTaskUp, onSuccess: componentChanged })
  const what = download.version ? `restic ${download.version}` : 'the newest restic'
  if (download.state === 'running') {
    const { text, percent } = progressOf(download)
    return (
      <Notice tone="busy" title={`Downloading ${what}`} role="status">
        <WorkProgress label={`Downloading ${what}`} text={text} percent={percent} />
        <Text size="sm">{text}</Text>
      </Notice>
    )
  }
  if (download.state === 'completed') {
    return (
      <Text size="sm" c="dimmed">
        Downloaded {what} <RelativeTime at={download.finishedAt} />.
      </Text>
    )
  }
  return (
    <Notice
      tone="bad"
      title={`${capitalized(what)} wasn’t downloaded`}
      role="status"
      onClose={() => dismiss.mutate(download.taskId)}
    >
      <Text size="sm">{download.error}</Text>
      <Text size="xs" c="dimmed" mt={4}>
        <RelativeTime at={download.finishedAt} />
      </Text>
    </Notice>
  )
}

function progressOf({ progress }: Download): { text: string; percent: number | null } {
  if (!progress) return { text: 'Looking for the release…', percent: null }
  const { files, ofFiles } = progress
  if (files === ofFiles) return { text: 'Verifying and unpacking…', percent: null }
  return {
    text: `File ${files + 1} of ${ofFiles}, ${bytes(progress.bytes)} so far`,
    percent: (100 * files) / ofFiles,
  }
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
