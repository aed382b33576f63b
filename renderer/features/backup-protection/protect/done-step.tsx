import { Button, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconShieldCheck } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { backUpTarget } from '../../../data/backup-runs.ts'
import { RunsOutcome } from '../../../domain/backup-jobs/runs-outcome.tsx'
import { plural } from '../../../lib/format.ts'
import { can } from '../../../lib/permissions.ts'
import { useMe } from '../../../lib/session.ts'
import { useFocusOnAppear } from '../../../lib/use-focus-on-appear.ts'
import { DialogFooter } from '../../../ui/dialog-footer.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { type TargetDraft, targetsOf } from '../target-fields.tsx'

interface Props {
  org: { id: string }
  target: TargetDraft
  count: number
  onClose: () => void
}

/** All is made; the first backup need not wait for the night. */
export function DoneStep({ org, target, count, onClose }: Props) {
  const mayRun = can(useMe(), 'devices:execute')
  const heading = useFocusOnAppear<HTMLHeadingElement>()
  const run = useMutation(backUpTarget(org.id))
  const isOffered = mayRun && !run.data
  return (
    <Stack>
      <Group gap="md" wrap="nowrap" align="flex-start">
        <ThemeIcon color="teal" variant="light" size={44} radius="xl" aria-hidden>
          <IconShieldCheck size={24} stroke={1.8} />
        </ThemeIcon>
        <Stack gap={2}>
          <Title order={3} size="h4" ref={heading} tabIndex={-1}>
            {count === 1 ? '1 device is protected' : `${plural(count, 'device')} are protected`}
          </Title>
          <Text size="sm" c="dimmed">
            {mayRun
              ? 'The first backup is made at the next scheduled time, or now.'
              : 'The first backup is made at the next scheduled time.'}
          </Text>
        </Stack>
      </Group>
      <FormError error={run.error} title="No backup was started" />
      {run.data && <RunsOutcome outcome={run.data} onLeave={onClose} />}
      <DialogFooter
        otherwise={
          isOffered && (
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
          )
        }
      >
        {isOffered ? (
          <Button data-autofocus loading={run.isPending} onClick={() => run.mutate(targetsOf(target, org.id))}>
            Back up now
          </Button>
        ) : (
          <Button onClick={onClose}>Close</Button>
        )}
      </DialogFooter>
    </Stack>
  )
}
