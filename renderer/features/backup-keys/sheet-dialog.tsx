import { Button, Checkbox, Portal, Stack, Text } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { RecoverySheet } from '../../../shared/api/backup-keys.ts'
import { confirmSheet, openSheet } from '../../data/encryption-keys.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { useFocusOnAppear } from '../../lib/use-focus-on-appear.ts'
import { DialogFooter } from '../../ui/dialog-footer.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Notice } from '../../ui/notice.tsx'
import classes from './printed-sheet.module.css'
import { PrintedSheet } from './printed-sheet.tsx'

interface Props {
  orgId: string
  onDone: () => void
}

/** Shows the sheet, has it printed, and asks whether it is locked away. */
export function SheetDialog({ orgId, onDone }: Props) {
  const sheet = useMutation(openSheet(orgId))
  if (sheet.data) return <Opened orgId={orgId} sheet={sheet.data} onDone={onDone} />
  return (
    <Stack>
      <Text size="sm">
        The sheet opens all backups of the organization, on any computer, without this appliance. Print it and keep it
        in a safe place: people who have it can read everything that is backed up. Opening it is recorded in the audit
        log.
      </Text>
      <FormError error={sheet.error} />
      <DialogFooter>
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button loading={sheet.isPending} onClick={() => sheet.mutate()} data-autofocus>
          Show the sheet
        </Button>
      </DialogFooter>
    </Stack>
  )
}

function Opened({ orgId, sheet, onDone }: Props & { sheet: RecoverySheet }) {
  const [isLockedAway, setLockedAway] = useState(false)
  const print = useFocusOnAppear<HTMLButtonElement>()
  const { mutationFn, onSuccess } = confirmSheet(orgId)
  const confirm = useMutation({
    mutationFn,
    onSuccess: async () => {
      onDone()
      notifyDone('The recovery sheet is noted as locked away')
      await onSuccess()
    },
    onError: notifyFailed('This wasn’t saved'),
  })
  if (sheet.keys.length === 0)
    return (
      <Notice tone="warn">
        <Text size="sm">There is no key yet. The first backup of a device makes one.</Text>
      </Notice>
    )
  return (
    <Stack>
      <PrintedSheet sheet={sheet} />
      <Checkbox
        label="I have locked it away"
        checked={isLockedAway}
        onChange={(event) => setLockedAway(event.currentTarget.checked)}
      />
      <DialogFooter>
        <Button
          ref={print}
          variant="default"
          leftSection={<IconPrinter size={16} />}
          onClick={() => window.print()}
          data-autofocus
        >
          Print
        </Button>
        <Button
          disabled={!isLockedAway}
          loading={confirm.isPending}
          onClick={() => confirm.mutate(sheet.keys.map(({ id }) => id))}
        >
          Done
        </Button>
      </DialogFooter>
      <Portal reuseTargetNode={false}>
        <div className={classes.paper}>
          <PrintedSheet sheet={sheet} />
        </div>
      </Portal>
    </Stack>
  )
}
