const interval = /^\*\/(\d+)$/
const isNumber = (field: string) => /^\d+$/.test(field)

/** How often a job runs; “Next run” says when. What the words do not cover stays as the schedule has it. */
export function scheduleWords(schedule: string): string {
  const [second = '', minute = '', hour = '', ...days] = schedule.split(' ')
  if (days.join(' ') !== '* * *') return schedule
  const [every] = [second, minute, hour].flatMap((field, at) => {
    const [, steps] = interval.exec(field) ?? []
    return steps ? [`Every ${steps} ${['seconds', 'minutes', 'hours'][at]}`] : []
  })
  if (every) return every
  if (!isNumber(second)) return schedule
  if (minute === '*' && hour === '*') return 'Every minute'
  if (!isNumber(minute)) return schedule
  return hour === '*' ? 'Every hour' : isNumber(hour) ? 'Every day' : schedule
}
