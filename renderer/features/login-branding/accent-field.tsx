import { ColorInput, Text, useMantineTheme } from '@mantine/core'
import type { ReactNode } from 'react'
import { contrastRatio, readableTextColor } from '../../lib/contrast.ts'
import { cssVariables } from '../../ui/theme.ts'

interface Props {
  /** `#rrggbb`; empty for Homeport's own colour. */
  value: string
  error: ReactNode
  isEditable: boolean
  onChange: (colour: string) => void
}

const swatches = ['#1f6aa5', '#2b8a3e', '#e8590c', '#c92a2a', '#862e9c', '#212529', '#ffd43b']

export function AccentField({ value, error, isEditable, onChange }: Props) {
  const hint = useHint(value)
  return (
    <div>
      <ColorInput
        label="Button color"
        placeholder="#1a2b3c"
        description="Leave empty for Homeport’s own."
        format="hex"
        fixOnBlur={false}
        withEyeDropper={false}
        swatches={swatches}
        maw={340}
        readOnly={!isEditable}
        value={value}
        error={error}
        onChange={onChange}
        // Mantine closes the palette when the field loses the focus, and only then.
        onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
      />
      {hint && (
        <Text size="xs" c="dimmed" mt={6} role="status">
          {hint}
        </Text>
      )}
    </div>
  )
}

/** Warns if a button of the colour is hard to see: WCAG 2.2 (1.4.11) asks for a contrast of 3:1 with the page. */
function useHint(colour: string): string | null {
  const theme = useMantineTheme()
  if (!/^#[0-9a-f]{6}$/i.test(colour)) return null
  const text = `The text is ${readableTextColor(colour) === '#000000' ? 'black' : 'white'}, which is easier to read on this color.`
  const schemes = ['light', 'dark'] as const
  const faint = schemes.filter(
    (scheme) => contrastRatio(colour, cssVariables(theme)[scheme]['--surface-raised'] ?? '') < 3,
  )
  return faint.length === 0 ? text : `${text} The button hardly stands out on the ${faint.join(' and the ')} page.`
}
