import { luminance } from '@mantine/core'

/** WCAG contrast ratio: from 1 for the same colour to 21 for black on white. */
export function contrastRatio(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** Black or white, whichever reads better; reaches 4.5:1 on any colour. */
export const readableTextColor = (background: string): '#000000' | '#ffffff' =>
  contrastRatio(background, '#000000') > contrastRatio(background, '#ffffff') ? '#000000' : '#ffffff'
