import { Text } from '@mantine/core'

/** Options of a list with a second line, which tells those of one name apart. */
export const renderOptionDetails =
  (details: ReadonlyMap<string, string>) =>
  ({ option }: { option: { value: string; label: string } }) => (
    <div>
      {option.label}
      <Text size="xs" c="dimmed">
        {details.get(option.value)}
      </Text>
    </div>
  )
