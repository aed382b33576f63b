import {
  Alert,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  type MantineColorsTuple,
  Menu,
  Modal,
  MultiSelect,
  Notification,
  Select,
  Skeleton,
  Table,
  Tabs,
  Tooltip,
} from '@mantine/core'
import { focusContentInstead } from './dialog-focus.ts'
import { renderFocusableButton } from './focusable-button.tsx'
import { openFirstOrLastTab } from './tab-keys.ts'
import tabs from './tabs.module.css'

const harbor: MantineColorsTuple = [
  '#edf5fb',
  '#d8e8f5',
  '#aed0ea',
  '#82b7df',
  '#62a4d7',
  '#4793cd',
  '#2f80bd',
  '#1f6aa5',
  '#18547f',
  '#123f60',
]

const dark: MantineColorsTuple = [
  '#e4e7eb',
  '#c5cad1',
  '#9aa3ad',
  '#6d7680',
  '#3a424b',
  '#2a3038',
  '#1d2229',
  '#14181d',
  '#0f1216',
  '#0a0c0f',
]

/** Mantine's red with darker shades, so that white text on a button reaches 4.5:1. */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#f56565',
  '#cf3434',
  '#c62f2f',
  '#ad2525',
  '#8f1d1d',
]

const systemFonts = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif'

/** Milliseconds. */
const brief = { duration: 120 }

/** For parts that are slower by themselves. */
const slow = { defaultProps: { transitionDuration: brief.duration } }

const closeButton = { 'aria-label': 'Close' }

/** A title above the labels of the fields, with room for long names that wrap. */
const overlay = { title: { fontSize: '1.0625rem', fontWeight: 600, lineHeight: 1.35 } }

/** One accent, quiet surfaces, small type: the console is open all day. */
export const theme = createTheme({
  colors: { harbor, dark, red },
  primaryColor: 'harbor',
  primaryShade: { light: 7, dark: 7 },
  fontFamily: systemFonts,
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "Roboto Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.375rem', lineHeight: '1.3' } } },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Accordion: slow,
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', renderRoot: renderFocusableButton } },
    // Mantine's “alert” interrupts screen readers; that is for what happens after an action, which says so.
    Alert: Alert.extend({ defaultProps: { role: 'note' } }),
    AppShell: slow,
    Burger: slow,
    Button: { defaultProps: { size: 'sm', renderRoot: renderFocusableButton } },
    Collapse: slow,
    Drawer: Drawer.extend({
      defaultProps: { closeButtonProps: { ...closeButton, onFocus: focusContentInstead }, transitionProps: brief },
      styles: overlay,
    }),
    Menu: Menu.extend({ defaultProps: { shadow: 'md', position: 'bottom-end', withInitialFocusPlaceholder: false } }),
    Modal: Modal.extend({
      defaultProps: {
        closeButtonProps: { ...closeButton, onFocus: focusContentInstead },
        radius: 'lg',
        transitionProps: brief,
      },
      styles: overlay,
    }),
    Notification: Notification.extend({
      defaultProps: { closeButtonProps: closeButton },
      // Mantine's grey below a title misses 4.5:1.
      styles: (_, { title }) => ({ description: title ? { color: 'var(--mantine-color-dimmed)' } : {} }),
    }),
    // Lists open by a click, a letter, Enter or an arrow key, and not because the Tab key comes by.
    MultiSelect: MultiSelect.extend({ defaultProps: { openOnFocus: false } }),
    Notifications: slow,
    SegmentedControl: slow,
    Select: Select.extend({ defaultProps: { selectFirstOptionOnChange: true, openOnFocus: false } }),
    Skeleton: Skeleton.extend({ defaultProps: { radius: 'sm' } }),
    Table: Table.extend({ defaultProps: { verticalSpacing: 10, horizontalSpacing: 'md', borderColor: 'var(--line)' } }),
    Tabs: Tabs.extend({ classNames: { list: tabs.list, tab: tabs.tab } }),
    TabsTab: Tabs.Tab.extend({ defaultProps: { onKeyDown: openFirstOrLastTab } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 250, withArrow: true } }),
  },
})

/** Colors of a status, and greys in place of those of Mantine that miss 4.5:1. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    '--status-good': '#1d9a52',
    '--status-idle': '#87919b',
    '--status-busy': 'var(--mantine-color-harbor-5)',
    '--status-warn': '#d98a07',
    '--status-bad': '#d63b3b',
  },
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#1b2127',
    '--mantine-color-dimmed': '#5a646f',
    '--mantine-color-placeholder': '#68727d',
    '--mantine-color-error': '#c02626',
    '--mantine-color-default-border': '#d9dee3',
    '--surface-sunken': '#f6f8f9',
    '--surface-raised': '#ffffff',
    '--line': '#e5e9ec',
    '--hover': '#f4f7f9',
    '--selected': '#e9f2f9',
    '--accent-text': '#1f6aa5',
    '--stderr': '#a4511b',
  },
  dark: {
    '--mantine-color-body': '#14181d',
    '--mantine-color-text': '#e4e7eb',
    '--mantine-color-dimmed': '#9aa3ad',
    '--mantine-color-placeholder': '#8a939d',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-default-border': '#363e47',
    '--mantine-color-harbor-light': 'rgba(98, 164, 215, 0.16)',
    '--mantine-color-red-light': 'rgba(240, 82, 82, 0.16)',
    '--mantine-color-red-light-color': '#ff8787',
    '--mantine-color-yellow-light': 'rgba(240, 180, 60, 0.14)',
    '--surface-sunken': '#0f1216',
    '--surface-raised': '#1a1f25',
    '--line': '#272d34',
    '--hover': '#1b2026',
    '--selected': '#1b2a37',
    '--accent-text': '#82b7df',
    // Who sees no red would hardly see that of the light scheme on a dark surface.
    '--status-bad': '#f07070',
    '--stderr': '#f2a66b',
  },
})
