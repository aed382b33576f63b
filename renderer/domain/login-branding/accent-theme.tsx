import { Button, MantineThemeProvider } from '@mantine/core'
import type { ReactNode } from 'react'
import { readableTextColor } from '../../lib/contrast.ts'

/** CSS variables of a primary button in a custom colour; hovering moves it away from its text colour. */
export function accentButton(accent: string) {
  const text = readableTextColor(accent)
  const away = text === '#000000' ? 'white' : 'black'
  return {
    '--button-bg': accent,
    '--button-hover': `color-mix(in srgb, ${accent} 88%, ${away})`,
    '--button-color': text,
    '--button-bd': '1px solid transparent',
  }
}

/**
 * Colours the primary buttons within. The element stays the same when the colour arrives later, so inputs keep their
 * text.
 */
export function AccentTheme({ accent, children }: { accent: string | null; children: ReactNode }) {
  const button = Button.extend({
    vars: (_, { variant = 'filled' }) => ({ root: accent && variant === 'filled' ? accentButton(accent) : {} }),
  })
  return (
    <MantineThemeProvider inherit theme={{ components: { Button: button } }}>
      {children}
    </MantineThemeProvider>
  )
}
