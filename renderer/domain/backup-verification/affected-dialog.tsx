import { Modal, Stack, Text } from '@mantine/core'
import type { Verification } from '../../../shared/api/backup-verification.ts'
import { exactTime, plural } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import type { Column } from '../../ui/data-table/column.tsx'
import { FirstFiles } from '../../ui/first-files.tsx'
import { TextLink } from '../../ui/links.tsx'
import { SecondCopyHint } from './second-copy-hint.tsx'

interface Affected {
  path: string
  error: string
}

/** Which files cannot be brought back as they were, and in which snapshots else. */
export function AffectedDialog({ check, onClose }: { check: Verification; onClose: () => void }) {
  const mayBrowse = can(useMe(), 'backup:read')
  const { snapshotId: ownId, details, filesFailed } = check
  const files = details?.failedFiles ?? []
  const others = details?.otherSnapshots ?? []
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={filesFailed > 0 ? `${plural(filesFailed, 'file')} affected` : 'Other snapshots affected'}
    >
      <Stack>
        <Text size="sm">In the backup made {exactTime(check.snapshotTakenAt)}.</Text>
        {mayBrowse && ownId && <SecondCopyHint snapshotId={ownId} details={details} />}
        {files.length > 0 && (
          <>
            <FirstFiles
              label="Affected files"
              files={files}
              total={Math.max(filesFailed, files.length)}
              nameOf={({ path }) => path}
              columns={columns}
            />
            <div>
              <CopyButton text={files.map(({ path, error }) => `${path}\t${error}`).join('\n')} label="Copy list" />
            </div>
          </>
        )}
        {others.length > 0 && (
          <div>
            <Text size="sm" fw={500}>
              Other snapshots that the damage touches
            </Text>
            {others.map(({ snapshotId, takenAt, files: amount }) => (
              <Text key={snapshotId} size="sm">
                {mayBrowse ? (
                  <TextLink to="/backup/snapshots/$snapshotId" params={{ snapshotId }} size="sm">
                    {exactTime(takenAt)}
                  </TextLink>
                ) : (
                  exactTime(takenAt)
                )}
                {amount === 0 ? ': all of it' : `: ${plural(amount, 'file')}`}
              </Text>
            ))}
          </div>
        )}
      </Stack>
    </Modal>
  )
}

const columns: Column<Affected>[] = [
  { id: 'path', title: 'File or folder', wrap: 'anywhere', cell: ({ path }) => <span className="mono">{path}</span> },
  { id: 'why', title: 'Why', width: 220, cell: ({ error }) => error },
]
