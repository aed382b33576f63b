import { Box, Button, Group } from '@mantine/core'
import { IconArrowsDiff, IconRestore } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import type { ProtectionDeed } from '../../data/backup-snapshot-protection.ts'
import { snapshotQuery } from '../../data/backup-snapshots.ts'
import { deviceQuery } from '../../data/devices.ts'
import { RestoreDialog } from '../../domain/backup-restores/restore-dialog.tsx'
import { ProtectionDialog } from '../../domain/backup-snapshots/protection-dialog.tsx'
import { ProtectionMenu } from '../../domain/backup-snapshots/protection-menu.tsx'
import { SnapshotBadges } from '../../domain/backup-snapshots/snapshot-badges.tsx'
import { StorageLockNotice } from '../../domain/backup-snapshots/storage-lock-notice.tsx'
import { ChecksPanel } from '../../domain/backup-verification/checks-panel.tsx'
import { NotFound } from '../../domain/navigation/not-found.tsx'
import { ApiError } from '../../lib/api-error.ts'
import { bytes, exactTime, plural } from '../../lib/format.ts'
import { useOfferActions } from '../../lib/page-actions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { TextLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import { CompareDialog } from './compare-dialog.tsx'
import { FolderBrowser } from './folder-browser.tsx'
import { VersionsDialog } from './versions-dialog.tsx'

export function SnapshotPage() {
  const { snapshotId } = useParams({ from: '/app/backup/snapshots/$snapshotId' })
  const snapshot = useQuery(snapshotQuery(snapshotId))
  if (snapshot.error instanceof ApiError && snapshot.error.status === 404) return <NotFound />
  if (snapshot.data) return <Snapshot key={snapshotId} snapshot={snapshot.data} />
  return snapshot.error ? <LoadFailed error={snapshot.error} onRetry={snapshot.refetch} /> : <SkeletonLines count={6} />
}

function Snapshot({ snapshot }: { snapshot: BackupSnapshot }) {
  const { versions, ask } = useSearch({ from: '/app/backup/snapshots/$snapshotId' })
  const navigate = useNavigate({ from: '/backup/snapshots/$snapshotId' })
  const me = useMe()
  const mayRestore = can(me, 'devices:execute')
  const mayProtect = can(me, 'backup:write')
  const { deviceId, deviceName, configId, createdAt } = snapshot
  const show = (dialog: { ask?: 'restore' | 'compare' | ProtectionDeed; versions?: string }) =>
    void navigate({ search: ({ ask: _, versions: __, ...old }) => ({ ...old, ...dialog }), resetScroll: false })
  const close = () => show({})
  const restoreAll = mayRestore ? () => show({ ask: 'restore' }) : undefined
  const compare = () => show({ ask: 'compare' })
  useOfferActions([
    ...(restoreAll ? [{ label: 'Restore everything', alias: 'Recover', Icon: IconRestore, run: restoreAll }] : []),
    { label: 'Compare with another snapshot', alias: 'Changes', Icon: IconArrowsDiff, run: compare },
  ])
  return (
    <>
      <PageHeader
        title={`Snapshot of ${deviceName}`}
        before={
          <TextLink to="/backup/files" search={{ device: deviceId }} size="sm">
            Restore files
          </TextLink>
        }
        beside={<SnapshotBadges snapshot={snapshot} />}
        about={<About snapshot={snapshot} />}
        actions={
          <Group gap="xs">
            <Button variant="default" onClick={compare}>
              Compare…
            </Button>
            {mayProtect && <ProtectionMenu snapshot={snapshot} onAsk={(deed) => show({ ask: deed })} />}
            {restoreAll && (
              <Button variant="default" leftSection={<IconRestore size={16} />} onClick={restoreAll}>
                Restore everything…
              </Button>
            )}
          </Group>
        }
      />
      <StorageLockNotice snapshot={snapshot} />
      <FolderBrowser snapshot={snapshot} onRestoreAll={restoreAll} />
      <Box mt="md">
        <Checks snapshot={snapshot} />
      </Box>
      {versions !== undefined && (
        <VersionsDialog
          key={versions}
          deviceId={deviceId}
          configId={configId}
          path={versions}
          shownAt={createdAt}
          onClose={close}
        />
      )}
      {ask === 'restore' && mayRestore && <RestoreDialog snapshot={snapshot} paths={[]} onClose={close} />}
      {ask !== undefined && ask !== 'restore' && ask !== 'compare' && mayProtect && (
        <ProtectionDialog key={ask} snapshot={snapshot} deed={ask} onClose={close} />
      )}
      {ask === 'compare' && <CompareDialog snapshot={snapshot} onClose={close} />}
    </>
  )
}

/** Of an organization, which the device tells. */
function Checks({ snapshot: { id, deviceId } }: { snapshot: BackupSnapshot }) {
  const me = useMe()
  const device = useQuery({ ...deviceQuery(deviceId), enabled: can(me, 'devices:read') }).data
  if (!device) return null
  const mayNot = can(me, 'devices:execute') ? null : 'Your role doesn’t allow this'
  return <ChecksPanel orgId={device.orgId} deviceId={deviceId} snapshotId={id} mayNot={mayNot} />
}

/** “Nov 24, 2026, 2:34:01 AM · 18,731 files, 6.3 GB · in Appliance · expires in 7 days”. */
function About({ snapshot }: { snapshot: BackupSnapshot }) {
  const { deviceId, deviceName, createdAt, fileCount, sizeBytes, configName } = snapshot
  const parts: (readonly [string, ReactNode])[] = [
    ['when', exactTime(createdAt)],
    ['what', `${plural(fileCount, 'file')}, ${bytes(sizeBytes)}`],
    ['where', `In ${configName}`],
    ...(snapshot.retentionBlockedReason === null
      ? ([['until', <Expiry key="until" at={snapshot.expiresAt} />]] as const)
      : []),
    [
      'device',
      <TextLink
        key="device"
        to="/devices/$deviceId"
        params={{ deviceId }}
        search={{ tab: 'backup' }}
        size="sm"
        td="underline"
      >
        {deviceName}
      </TextLink>,
    ],
  ]
  return parts.map(([key, part], at) => (
    <Fragment key={key}>
      {at > 0 && ' · '}
      {part}
    </Fragment>
  ))
}

function Expiry({ at }: { at: string | null }) {
  if (at === null) return 'Never expires'
  return (
    <>
      Expires <RelativeTime at={at} />
    </>
  )
}
