import { Text } from '@mantine/core'

/** Renders an option with a second line, which distinguishes options of the same name. */
export const renderOptionDetails =
  (details: ReadonlyMap<string, string>) =>
  ({ option }: { option: { value: string; label: string } }) => (
    <div>
      {option.label}
      <Text size="xs" className="option-description">
        {details.get(option.value)}
      </Text>
    </div>
  )
