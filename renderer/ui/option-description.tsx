import { type ComboboxItem, Stack, Text } from '@mantine/core'

/** For `renderOption` of a select: each option with a description. */
export const renderOptionDescription =
  (about: (value: string) => string | null | undefined) =>
  ({ option }: { option: ComboboxItem }) => (
    <Stack gap={0}>
      {option.label}
      <Text size="xs" className="option-description">
        {about(option.value)}
      </Text>
    </Stack>
  )
