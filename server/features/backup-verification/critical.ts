/** Tags of devices that matter most, as administrators give them. */
const criticalTags = ['critical', 'tier0', 'tier1']

/** SQL: whether `device` is one of them. */
export const isCritical = `EXISTS (SELECT 1 FROM json_each(device.tags)
  WHERE lower(value) IN (${criticalTags.map((tag) => `'${tag}'`).join(', ')}))`
