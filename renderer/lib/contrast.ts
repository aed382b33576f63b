import { luminance } from '@mantine/core'

/** By WCAG: 1 for the same colour, 21 for black on white. */
export function contrastRatio(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** The text that is easier to read on it; at least 4.5:1 on any colour there is. */
export const readableTextColor = (background: string): '#000000' | '#ffffff' =>
  contrastRatio(background, '#000000') > contrastRatio(background, '#ffffff') ? '#000000' : '#ffffff'
