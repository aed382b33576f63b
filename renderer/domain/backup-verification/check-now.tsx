import { Button, Menu, Text } from '@mantine/core'
import { IconChevronDown, IconFileCheck, IconRestore, IconShieldCheck } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { VerificationType } from '../../../shared/api/backup-verification.ts'
import { startVerification } from '../../data/backup-verification.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useOfferActions } from '../../lib/page-actions.ts'
import { checkNames } from './check-words.ts'
import { notifyNotChecked } from './notify-not-checked.ts'

interface Props {
  deviceId: string
  /** The newest of the device when none is named. */
  snapshotId?: string | undefined
}

/** Begins a check of either kind. */
export function CheckNow({ deviceId, snapshotId }: Props) {
  const { mutate, isPending } = useMutation({
    ...startVerification,
    onSuccess: (_, { verificationType }) => {
      notifyDone(`${checkNames[verificationType]} requested`)
      return startVerification.onSuccess()
    },
    onError: notifyNotChecked('The backup isn’t checked'),
  })
  const start = (verificationType: VerificationType) => mutate({ deviceId, verificationType, snapshotId })
  useOfferActions([
    {
      label: 'Check the data of the backup',
      alias: 'Verify integrity',
      Icon: IconFileCheck,
      run: () => start('integrity'),
    },
    { label: 'Test restore', alias: 'Verify prove', Icon: IconRestore, run: () => start('test_restore') },
  ])
  return (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconShieldCheck size={14} />}
          rightSection={<IconChevronDown size={14} />}
          loading={isPending}
        >
          Check now
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconFileCheck size={16} />} onClick={() => start('integrity')}>
          {checkNames.integrity}
          <Text component="span" display="block" size="xs">
            Reads all of it in the storage
          </Text>
        </Menu.Item>
        <Menu.Item leftSection={<IconRestore size={16} />} onClick={() => start('test_restore')}>
          {checkNames.test_restore}
          <Text component="span" display="block" size="xs">
            Restores it to the device, compares, and removes it again
          </Text>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
