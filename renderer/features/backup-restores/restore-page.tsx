import { Button, Group, Stack, Text } from '@mantine/core'
import { IconRestore, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { RestoreJob } from '../../../shared/api/backup-restores.ts'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import { isOpenRestore, restoreQuery } from '../../data/backup-restores.ts'
import { snapshotQuery } from '../../data/backup-snapshots.ts'
import { useCancelRestore } from '../../domain/backup-restores/cancel-restore.ts'
import { restoreAdvice } from '../../domain/backup-restores/restore-advice.ts'
import { RestoreDialog } from '../../domain/backup-restores/restore-dialog.tsx'
import { RestoreStatusDot } from '../../domain/backup-restores/restore-status.tsx'
import { restoredPercent, restoreProgressWords, whatIsRestored } from '../../domain/backup-restores/restore-words.ts'
import { NotFound } from '../../domain/navigation/not-found.tsx'
import { ApiError } from '../../lib/api-error.ts'
import { useOfferActions } from '../../lib/page-actions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { FileProblems } from '../../ui/file-problems.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import { WorkProgress } from '../../ui/work-progress.tsx'
import { RenamedFiles } from './renamed-files.tsx'
import { RestoreFacts } from './restore-facts.tsx'
import { RestoredPlace } from './restored-place.tsx'

export function RestorePage() {
  const { restoreId } = useParams({ from: '/app/backup/restores/$restoreId' })
  const restore = useQuery(restoreQuery(restoreId))
  if (restore.error instanceof ApiError && restore.error.status === 404) return <NotFound />
  if (restore.error && !restore.data) return <LoadFailed error={restore.error} onRetry={restore.refetch} />
  return restore.data ? <Details key={restoreId} restore={restore.data} /> : <SkeletonLines count={6} />
}

function Details({ restore }: { restore: RestoreJob }) {
  const { deviceId, deviceName, resultDetails, status } = restore
  const failed = resultDetails?.failedFiles ?? []
  const renamed = resultDetails?.renamedFiles ?? []
  const advice = restoreAdvice(restore)
  // It may be gone by now.
  const known = useQuery({
    ...snapshotQuery(restore.snapshotId ?? ''),
    enabled: restore.snapshotId !== null,
    retry: false,
  })
  const snapshot = known.data
  return (
    <>
      <PageHeader
        title={`Restore to ${deviceName}`}
        before={
          <TextLink to="/backup/restores" size="sm">
            Restores
          </TextLink>
        }
        beside={<RestoreStatusDot restore={restore} hasBar={false} />}
        about={
          <>
            {`${whatIsRestored(restore)} to `}
            <TextLink to="/devices/$deviceId" params={{ deviceId }} search={{ tab: 'backup' }} size="sm" td="underline">
              {deviceName}
            </TextLink>
            {', '}
            <RelativeTime isPast at={restore.startedAt ?? restore.createdAt} />
          </>
        }
        actions={<Actions restore={restore} snapshot={snapshot} />}
      />
      <Stack>
        {status === 'pending' && (
          <Notice tone="busy">
            <Text size="sm">It starts as soon as the device is connected.</Text>
          </Notice>
        )}
        {status === 'running' && <Running restore={restore} />}
        {advice && (
          <Notice tone={status === 'failed' ? 'bad' : 'warn'} title={advice.what}>
            <Text size="sm">{advice.todo}</Text>
            {snapshot && (
              <TextLink to="/backup/files" search={{ device: snapshot.deviceId }} size="sm" td="underline" c="inherit">
                All snapshots of the device
              </TextLink>
            )}
          </Notice>
        )}
        <RestoredPlace restore={restore} />
        {failed.length > 0 && (
          <FileProblems what="not restored" files={failed} total={resultDetails?.filesFailed ?? 0} />
        )}
        {renamed.length > 0 && <RenamedFiles files={renamed} total={resultDetails?.filesRenamed ?? 0} />}
        <RestoreFacts restore={restore} isSnapshotThere={snapshot !== undefined} />
      </Stack>
    </>
  )
}

function Running({ restore }: { restore: RestoreJob }) {
  const words = restoreProgressWords(restore)
  return (
    <div>
      <WorkProgress label="Progress" text={words} percent={restoredPercent(restore)} />
      <Text size="sm" className="nums">
        {words}
      </Text>
      <Text size="xs" c="dimmed">
        You can leave this page. The restore goes on.
      </Text>
    </div>
  )
}

/** Cancel while it is open, and again afterwards. */
function Actions({ restore, snapshot }: { restore: RestoreJob; snapshot: BackupSnapshot | undefined }) {
  const mayRun = can(useMe(), 'devices:execute')
  const cancel = useCancelRestore(restore)
  const isOpen = isOpenRestore(restore)
  const { again } = useSearch({ from: '/app/backup/restores/$restoreId' })
  const navigate = useNavigate({ from: '/backup/restores/$restoreId' })
  const ask = () => void navigate({ search: { again: 'open' } })
  useOfferActions(
    !mayRun
      ? []
      : isOpen
        ? [{ label: 'Cancel restore', Icon: IconX, run: cancel.ask }]
        : snapshot
          ? [{ label: 'Restore again', Icon: IconRestore, run: ask }]
          : [],
  )
  if (!mayRun || (!isOpen && !snapshot)) return null
  return (
    <Group gap="xs">
      {isOpen ? (
        <Button variant="default" loading={cancel.isPending} onClick={cancel.ask}>
          Cancel restore
        </Button>
      ) : (
        <Button variant="default" leftSection={<IconRestore size={16} />} onClick={ask}>
          Restore again
        </Button>
      )}
      {again === 'open' && snapshot && (
        <RestoreDialog
          snapshot={snapshot}
          paths={restore.selectedPaths}
          onClose={() => navigate({ search: {}, replace: true })}
        />
      )}
    </Group>
  )
}
