import { Button, Modal, Stack } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { runAllPreviewQuery } from '../../data/backup-jobs.ts'
import { backUpTarget } from '../../data/backup-runs.ts'
import { RunsOutcome } from '../../domain/backup-jobs/runs-outcome.tsx'
import { plural } from '../../lib/format.ts'
import { ConfirmForm } from '../../ui/confirm-form.tsx'
import { DialogFooter } from '../../ui/dialog-footer.tsx'
import { Loaded } from '../../ui/loaded.tsx'

/** Backs up every protected device of the organization, after saying how many that are. */
export function RunAllDialog({ orgId, onClose }: { orgId: string; onClose: () => void }) {
  const run = useMutation(backUpTarget(orgId))
  return (
    <Modal opened onClose={onClose} title={run.data ? 'Backups requested' : 'Back up all devices?'}>
      {run.data ? (
        <Stack>
          <RunsOutcome outcome={run.data} />
          <DialogFooter>
            <Button data-autofocus onClick={onClose}>
              Close
            </Button>
          </DialogFooter>
        </Stack>
      ) : (
        <Question
          orgId={orgId}
          isPending={run.isPending}
          error={run.error}
          onConfirm={() => run.mutate([])}
          onCancel={onClose}
        />
      )}
    </Modal>
  )
}

interface QuestionProps {
  orgId: string
  isPending: boolean
  error: unknown
  onConfirm: () => void
  onCancel: () => void
}

function Question({ orgId, ...form }: QuestionProps) {
  const preview = useQuery(runAllPreviewQuery(orgId))
  return (
    <Loaded of={preview} lines={2}>
      {({ deviceCount, offline, alreadyRunning }) => (
        <ConfirmForm
          {...form}
          consequences={consequencesOf(deviceCount, offline, alreadyRunning)}
          confirm={deviceCount === 0 ? 'Back up' : `Back up ${plural(deviceCount, 'device')}`}
          isHarmless
          isBlocked={deviceCount === 0}
        />
      )}
    </Loaded>
  )
}

function consequencesOf(now: number, offline: number, running: number): string[] | string {
  const others = [
    offline > 0 && `${plural(offline, 'device is', 'devices are')} offline and left out.`,
    running > 0 && `${plural(running, 'device is', 'devices are')} being backed up already.`,
  ].filter((line) => typeof line === 'string')
  if (now === 0)
    return others.length > 0 ? ['No device can be backed up now.', ...others] : 'No policy protects a device yet.'
  return [`${plural(now, 'device is', 'devices are')} backed up now.`, ...others]
}
