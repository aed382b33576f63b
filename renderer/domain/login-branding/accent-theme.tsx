import { Button, MantineThemeProvider } from '@mantine/core'
import type { ReactNode } from 'react'
import { readableTextColor } from '../../lib/contrast.ts'

/** The variables of a main button in a colour of somebody's own; under the pointer it turns away from its text. */
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

/** Gives the main buttons within a colour of somebody's own. What is typed within stays when the colour comes later. */
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
