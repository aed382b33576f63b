import { Button, Checkbox, Group, Portal, Stack, Text } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { confirmSheet, openSheet } from '../../data/encryption-keys.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { DialogFooter } from '../../ui/dialog-footer.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Notice } from '../../ui/notice.tsx'
import classes from './printed-sheet.module.css'
import { PrintedSheet } from './printed-sheet.tsx'

/** Shows the sheet, has it printed, and takes the word of whoever locks it away. */
export function SheetDialog({ orgId, onDone }: { orgId: string; onDone: () => void }) {
  const [isLockedAway, setLockedAway] = useState(false)
  const sheet = useMutation(openSheet(orgId))
  const confirm = useMutation({
    ...confirmSheet(orgId),
    onSuccess: async () => {
      onDone()
      notifyDone('The recovery sheet is noted as locked away')
      await confirmSheet(orgId).onSuccess()
    },
    onError: notifyFailed('This wasn’t saved'),
  })
  if (!sheet.data)
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
  const { data } = sheet
  return (
    <Stack>
      {data.keys.length === 0 && (
        <Notice tone="warn">
          <Text size="sm">There is no key yet. The first backup of a device makes one.</Text>
        </Notice>
      )}
      <PrintedSheet sheet={data} />
      <Checkbox
        label="I have locked it away"
        checked={isLockedAway}
        onChange={(event) => setLockedAway(event.currentTarget.checked)}
      />
      <DialogFooter>
        <Group gap="xs">
          <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
            Print
          </Button>
          <Button
            disabled={!isLockedAway || data.keys.length === 0}
            loading={confirm.isPending}
            onClick={() => confirm.mutate(data.keys.map(({ id }) => id))}
          >
            Done
          </Button>
        </Group>
      </DialogFooter>
      <Portal reuseTargetNode={false}>
        <div className={classes.paper}>
          <PrintedSheet sheet={data} />
        </div>
      </Portal>
    </Stack>
  )
}
