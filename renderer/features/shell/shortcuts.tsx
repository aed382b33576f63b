import { FocusTrap, Group, Kbd, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { defaultKeybindingsHandlerIgnore, tinykeys } from 'tinykeys'
import { type NavigationPage, navigationFor } from '../../domain/navigation/pages.ts'
import { useHasOrganizationChoice } from '../../domain/organizations/selected-organization.ts'
import { LetterKeysSwitch } from '../../domain/profile/letter-keys-switch.tsx'
import { isDialogOpen } from '../../lib/dialog-open.ts'
import { areLetterKeysOn, useLetterKeys } from '../../lib/letter-keys.ts'
import { modKey } from '../../lib/mod-key.ts'
import { useMe } from '../../lib/session.ts'

interface Shortcut {
  keys: string[]
  does: string
}

const general: Shortcut[] = [
  { keys: [modKey, 'K'], does: 'Search everything' },
  { keys: ['?'], does: 'Keyboard shortcuts' },
  { keys: ['Esc'], does: 'Clear the search or the selection, close a dialog' },
]
const chooseOrganization: Shortcut = { keys: ['S'], does: 'Choose an organization' }
const inLists: Shortcut[] = [
  { keys: ['/'], does: 'Search the list' },
  { keys: ['J'], does: 'Next row (also ↓)' },
  { keys: ['K'], does: 'Previous row (also ↑)' },
  { keys: ['Enter'], does: 'Open the row' },
  { keys: ['X'], does: 'Select the row' },
  { keys: ['Backspace'], does: 'Go to the folder above' },
  { keys: ['.'], does: 'Go to the actions for selected rows' },
]

export const openShortcuts = () => modals.open({ title: 'Keyboard shortcuts', size: 'lg', children: <ShortcutList /> })

function ShortcutList() {
  const hasChoice = useHasOrganizationChoice()
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl">
      <FocusTrap.InitialFocus />
      <Stack gap="lg">
        <LetterKeysSwitch />
        <Section title="Everywhere" shortcuts={hasChoice ? [chooseOrganization, ...general] : general} />
        <Section title="Lists" shortcuts={inLists} />
      </Stack>
      <Section
        title="Go to"
        shortcuts={usePages().map(({ key, label }) => ({ keys: ['G', key.toUpperCase()], does: label }))}
      />
    </SimpleGrid>
  )
}

function Section({ title, shortcuts }: { title: string; shortcuts: Shortcut[] }) {
  return (
    <Stack component="section" gap="xs">
      <Title order={3} size="sm">
        {title}
      </Title>
      {shortcuts.map(({ keys, does }) => (
        <Group key={does} justify="space-between" wrap="nowrap">
          <Text size="sm">{does}</Text>
          <Group gap={4} wrap="nowrap">
            {keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </Group>
        </Group>
      ))}
    </Stack>
  )
}

function usePages(): NavigationPage[] {
  const { daily, backup, settings } = navigationFor(useMe())
  return [...daily, ...backup, ...settings]
}

export function Shortcuts() {
  // Some keyboard layouts type "?" without Shift.
  useLetterKeys([
    ['shift+?', openShortcuts],
    ['?', openShortcuts],
  ])
  useGoToKeys()
  return null
}

/** The key "g" followed by that of a page opens the page. */
function useGoToKeys(): void {
  const navigate = useNavigate()
  const pages = usePages()
  const goTo = useEffectEvent((event: KeyboardEvent) => {
    const page = pages.find(({ key }) => key === event.key.toLowerCase())
    if (!page) return
    // The second key is a shortcut of its own elsewhere.
    event.preventDefault()
    event.stopImmediatePropagation()
    void navigate({ to: page.to })
  })
  useEffect(
    () =>
      tinykeys(
        window,
        // One sequence for all pages: after a sequence, tinykeys forgets the beginning of those that are listed later.
        { 'g ([a-z])': (event) => goTo(event) },
        {
          capture: true,
          ignore: (event) => !areLetterKeysOn() || defaultKeybindingsHandlerIgnore(event) || isDialogOpen(),
        },
      ),
    [],
  )
}
