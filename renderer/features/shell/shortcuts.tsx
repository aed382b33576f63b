import { Group, Kbd, Stack, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { modals } from '@mantine/modals'
import { useHasOrganizationChoice } from '../../domain/organizations/selected-organization.ts'
import { modKey } from '../../lib/mod-key.ts'

/** Hidden if there is only one organization. */
const choose = 'Choose another organization'
const shortcuts: [string[], string][] = [
  [[modKey, 'K'], 'Search everything'],
  [['/'], 'Search the list'],
  [['o'], choose],
  [['j'], 'Next row (also ↓)'],
  [['k'], 'Previous row (also ↑)'],
  [['Enter'], 'Open the row'],
  [['Esc'], 'Clear the search, close a dialog'],
  [['?'], 'Keyboard shortcuts'],
]

export const openShortcuts = () => modals.open({ title: 'Keyboard shortcuts', children: <ShortcutList /> })

function ShortcutList() {
  const hasChoice = useHasOrganizationChoice()
  return (
    <Stack gap="xs">
      {shortcuts
        .filter(([, text]) => hasChoice || text !== choose)
        .map(([keys, text]) => (
          <Group key={text} justify="space-between">
            <Text size="sm">{text}</Text>
            <Group gap={4}>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
    </Stack>
  )
}

export function Shortcuts() {
  // Some keyboard layouts type "?" without Shift.
  useHotkeys([
    ['shift+?', openShortcuts],
    ['?', openShortcuts],
  ])
  return null
}
