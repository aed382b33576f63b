import { Button, Modal, Radio, ScrollArea, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import { bytes, exactTime, plural } from '../../lib/format.ts'
import { focusFirstField } from '../../ui/dialog-focus.ts'
import { DialogFooter } from '../../ui/dialog-footer.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { comparedInOrder, usualComparison } from './comparison.ts'
import { useSiblings } from './use-siblings.ts'

interface Props {
  snapshot: BackupSnapshot
  onClose: () => void
}

/** Asks for the snapshot to compare with. */
export function CompareDialog({ snapshot, onClose }: Props) {
  const siblings = useSiblings(snapshot)
  return (
    <Modal opened onClose={onClose} title="Compare with">
      <Loaded of={siblings} lines={4}>
        {(all) => <Choice snapshot={snapshot} others={all.filter(({ id }) => id !== snapshot.id)} onClose={onClose} />}
      </Loaded>
    </Modal>
  )
}

function Choice({ snapshot, others, onClose }: Props & { others: readonly BackupSnapshot[] }) {
  const navigate = useNavigate()
  const [first] = useState(usualComparison(snapshot, others)?.id ?? '')
  const [chosen, setChosen] = useState(first)
  const other = others.find(({ id }) => id === chosen)
  if (others.length === 0)
    return (
      <Text size="sm">
        This is the only snapshot of {snapshot.deviceName} in {snapshot.configName}.
      </Text>
    )
  const compare = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!other) return
    const [older, newer] = comparedInOrder(snapshot, other)
    void navigate({
      to: '/backup/snapshots/$snapshotId/compare/$olderId',
      params: { snapshotId: newer.id, olderId: older.id },
    })
  }
  return (
    <form ref={focusFirstField} onSubmit={compare}>
      <Stack>
        <ScrollArea.Autosize mah={360}>
          <Radio.Group aria-label="Snapshot" value={chosen} onChange={setChosen}>
            <Stack gap="sm" p={2}>
              {others.map(({ id, createdAt, fileCount, sizeBytes }) => (
                <Radio
                  key={id}
                  value={id}
                  data-autofocus={id === first || undefined}
                  label={exactTime(createdAt)}
                  description={`${plural(fileCount, 'file')}, ${bytes(sizeBytes)}`}
                />
              ))}
            </Stack>
          </Radio.Group>
        </ScrollArea.Autosize>
        <DialogFooter>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Compare</Button>
        </DialogFooter>
      </Stack>
    </form>
  )
}
