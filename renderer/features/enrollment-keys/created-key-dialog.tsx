import { Button, Group, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { CommandLine } from '../../ui/command-line.tsx'

/** Shows a raw key for the only time; closes only by its button, so that a stray click does not lose it. */
export function showCreatedKey({ name, key }: { name: string; key: string }) {
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
        <CommandLine label="Enrollment key" text={key} copyLabel="Copy key" />
        <Group justify="flex-end">
          <Button onClick={() => modals.close('raw-key')}>Done</Button>
        </Group>
      </Stack>
    ),
  })
}
