import { Button, Group, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { CommandLine } from '../../ui/command-line.tsx'

/** Shows a raw key for the only time; until it is copied it closes only by its button, so that a stray key does not lose it. */
export function showCreatedKey({ name, key }: { name: string; key: string }) {
  const onCopied = () => modals.updateModal({ modalId: 'raw-key', closeOnEscape: true })
  modals.open({
    modalId: 'raw-key',
    title: `Key “${name}”`,
    closeOnClickOutside: false,
    closeOnEscape: false,
    withCloseButton: false,
    children: (
      <Stack>
        <Text size="sm">
          Copy it now: it won’t be shown again. Devices can enroll with it until it expires or is used up.
        </Text>
        <CommandLine label="Enrollment key" text={key} copyLabel="Copy key" onCopied={onCopied} isFirst />
        <Group justify="flex-end">
          <Button onClick={() => modals.close('raw-key')}>Done</Button>
        </Group>
      </Stack>
    ),
  })
}
