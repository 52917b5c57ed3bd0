/** The zone is UTC. Left out: toLocale…String. */
export const dateList = `
Date(...parts: any) -> date | new   length=7 prelude
Date.UTC(year: number, month?: number, day?: number, hours?: number, minutes?: number, seconds?: number, ms?: number) -> number   length=7
Date.now() -> integer
Date.parse(text: string) -> number
Date.prototype.getDate() -> number
Date.prototype.getDay() -> number
Date.prototype.getFullYear() -> number
Date.prototype.getHours() -> number
Date.prototype.getMilliseconds() -> number
Date.prototype.getMinutes() -> number
Date.prototype.getMonth() -> number
Date.prototype.getSeconds() -> number
Date.prototype.getTime() -> number
Date.prototype.getTimezoneOffset() -> number
Date.prototype.getUTCDate() -> number
Date.prototype.getUTCDay() -> number
Date.prototype.getUTCFullYear() -> number
Date.prototype.getUTCHours() -> number
Date.prototype.getUTCMilliseconds() -> number
Date.prototype.getUTCMinutes() -> number
Date.prototype.getUTCMonth() -> number
Date.prototype.getUTCSeconds() -> number
Date.prototype.getYear() -> number
Date.prototype.setDate(day: number) -> number
Date.prototype.setFullYear(year: number, month?: number, day?: number) -> number   length=3
Date.prototype.setHours(hours: number, minutes?: number, seconds?: number, ms?: number) -> number   length=4
Date.prototype.setMilliseconds(ms: number) -> number
Date.prototype.setMinutes(minutes: number, seconds?: number, ms?: number) -> number   length=3
Date.prototype.setMonth(month: number, day?: number) -> number   length=2
Date.prototype.setSeconds(seconds: number, ms?: number) -> number   length=2
Date.prototype.setTime(time: number) -> number
Date.prototype.setUTCDate(day: number) -> number
Date.prototype.setUTCFullYear(year: number, month?: number, day?: number) -> number   length=3
Date.prototype.setUTCHours(hours: number, minutes?: number, seconds?: number, ms?: number) -> number   length=4
Date.prototype.setUTCMilliseconds(ms: number) -> number
Date.prototype.setUTCMinutes(minutes: number, seconds?: number, ms?: number) -> number   length=3
Date.prototype.setUTCMonth(month: number, day?: number) -> number   length=2
Date.prototype.setUTCSeconds(seconds: number, ms?: number) -> number   length=2
Date.prototype.setYear(year: number) -> number
Date.prototype.toDateString() -> string
Date.prototype.toGMTString = Date.prototype.toUTCString()
Date.prototype.toISOString() -> string
Date.prototype.toJSON(key: any) -> any   prelude
Date.prototype.toString() -> string
Date.prototype.toTimeString() -> string
Date.prototype.toUTCString() -> string
Date.prototype.valueOf() -> number
`;
